"""What holds for all tests: random examples may take as long as a busy machine needs, and the models are compiled."""

from hypothesis import settings

from momlint.estate.compiling import keep

settings.register_profile("momlint", deadline=None)
settings.load_profile("momlint")

# As the build does (hatch_build.py), for the models as they are now and for the pydantic-core of this environment.
keep()
