"""Connectors to message platforms (Slack, Teams, Telegram) and cloud services (Lex, Bedrock, Dialogflow).

Each module named in the entry points `vivavoce.connectors` is one connector. Imports `vivavoce.connectors`.
"""
