"""What checks ask of engines and what engines answer. Engines share this and the form, and nothing else."""
