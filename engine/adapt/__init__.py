"""Training of the embedded family's adapters: data, objective, trainer, export. Nothing of it runs while serving."""
