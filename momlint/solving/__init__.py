"""Solvers as programs and libraries: z3, what pysmt finds, NuSMV; their limits. Knows no overlay."""
