"""Events over a tree of sites: flooded or filtered, in an order, with standbys in each site. A discipline."""
