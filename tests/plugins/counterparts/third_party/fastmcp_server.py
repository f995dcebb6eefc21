"""A tool written with FastMCP: `python fastmcp_server.py PORT`."""

import sys

from fastmcp import FastMCP

server = FastMCP("remembers")
first: dict[str, str] = {}


@server.tool
def chat(session: str, text: str) -> str:
    """Talk."""
    return f"first was {first.setdefault(session, text)}"


server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]))
