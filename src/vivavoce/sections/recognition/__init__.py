"""Calibration of recognition confidences."""
