"""Small estates for the tests of the command line; what is wrong with each is known by hand."""

#: Nothing is wrong with it.
GOOD = """\
momlint: 1
name: triangle
brokers: {1: , 2: , 3: }
links:
  - {between: [1, 2]}
  - {between: [1, 3]}
  - {between: [2, 3]}
topics:
  weather: {publishers: [1], subscribers: [2, 3]}
routing:
  protocol: shortest-path
"""

#: The six-broker fault: line 21, broker 4 sends what is for 5 to 6 (MOM303).
BLACK_HOLE = """\
momlint: 1
name: six
brokers: {1: , 2: , 3: , 4: , 5: , 6: }
links:
  - {between: [1, 2]}
  - {between: [2, 3]}
  - {between: [2, 4]}
  - {between: [4, 5]}
  - {between: [4, 6]}
topics:
  A: {publishers: [1], subscribers: [2, 5]}
routing:
  protocol: tables
  tables:
    1: {2: [2, 3, 4, 5, 6]}
    2:
      1: [1]
      3: [3]
      4: [4, 5, 6]
    4:
      6: [5, 6]
      2: [1, 2, 3]
    3: {2: [1, 2, 4, 5, 6]}
    5: {4: [1, 2, 3, 4, 6]}
    6: {4: [1, 2, 3, 4]}
"""

#: A topic without a subscriber (MOM202's sister, MOM201): a warning, and nothing else.
WARNING = GOOD.replace("subscribers: [2, 3]", "subscribers: []")

#: A message from 1 to 3 goes to 2 and back (MOM302).
LOOP = """\
momlint: 1
name: loop
brokers: {1: , 2: , 3: }
links:
  - {between: [1, 2]}
  - {between: [2, 3]}
topics:
  weather: {publishers: [1], subscribers: [3]}
routing:
  protocol: tables
  tables:
    1: {2: [2, 3]}
    2: {1: [1, 3]}
    3: {2: [1, 2]}
"""
