"""The recipes of CONTRIBUTING.md, each tried with something small that momlint does not have."""
