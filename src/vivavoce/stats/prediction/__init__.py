"""Methods of quality prediction: arrays in, fitted models and scores out."""
