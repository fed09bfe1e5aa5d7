# momlint in a container, from its wheel:
#
#   docker build --tag momlint .
#   docker run --rm --network none --volume "$PWD:/work:ro" momlint check .

# The version that the tests run with.
ARG PYTHON=3.11

FROM python:${PYTHON}-slim AS build
WORKDIR /source
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY momlint momlint
COPY rules rules
COPY templates templates
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .
RUN python -m venv /opt/momlint
RUN /opt/momlint/bin/python -m pip install --no-cache-dir /wheels/momlint-*.whl
# What nobody needs to run it.
RUN /opt/momlint/bin/python -m pip uninstall --yes pip setuptools

FROM python:${PYTHON}-slim
COPY --from=build /opt/momlint /opt/momlint
# Nobody in particular; `--user "$(id -u):$(id -g)"` is for reports that are written into the folder.
USER 65534:65534
WORKDIR /work
ENTRYPOINT ["/opt/momlint/bin/momlint"]
CMD ["--help"]
