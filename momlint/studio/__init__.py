"""The studio: the page of `momlint.view`, editable, served to a browser on the same machine."""
