"""What is planned: the study file checked into objects, its ontology, its tasks and its protocol presets."""
