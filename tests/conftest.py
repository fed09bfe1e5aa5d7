"""What holds for all tests: random examples may take as long as a busy machine needs."""

from hypothesis import settings

settings.register_profile("momlint", deadline=None)
settings.load_profile("momlint")
