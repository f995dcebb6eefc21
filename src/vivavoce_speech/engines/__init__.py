"""Recognisers and synthesisers: programs and models on this machine, and services that are asked."""
