"""Routed overlays: messages follow next-hop tables, computed or given, with recovery tables for failures."""
