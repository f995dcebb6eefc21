"""Campaigns: systems of several teams from submission to report, each as a study of its own."""
