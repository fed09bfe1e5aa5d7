"""Rules of users' own: a file each, which binds one of momlint's checks to parameters.

`form` has them as records, `read` makes them of files, `schema` describes the files to editors.
"""
