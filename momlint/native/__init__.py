"""Brokers' own configuration files, read as parts of an estate in momlint's language, with places in those files."""
