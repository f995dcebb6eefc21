"""Vivavoce: the laboratory in which chatbots and voice bots are examined by people."""
