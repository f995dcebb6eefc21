"""Study plans: the study file checked into objects, its ontology, tasks and presets."""
