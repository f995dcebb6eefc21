"""A server written with the MCP SDK: `python mcp_server.py PORT`, or without a port over standard input.

Knows nothing of ours. The tool `chat` tells the first thing said in a session; `session_chat` keeps that by
itself, `menu` answers with structured content, `broken` reports an error.
"""

import sys
from typing import Any

from mcp.server.mcpserver import MCPServer

server = MCPServer("Remembers", log_level="ERROR")
first: dict[str, str] = {}


@server.tool()
def chat(session: str, text: str) -> str:
    """Tell the first thing said in this session."""
    if text == "break":
        raise ValueError("out of order")
    return f"first was {first.setdefault(session, text)}"


@server.tool()
def chat_here(text: str) -> str:
    """Tell the first thing said to this process."""
    return f"first was {first.setdefault('here', text)}"


@server.tool()
def menu(text: str) -> dict[str, Any]:
    """Offer two ways to go on."""
    return {"say": f"You said {text}.", "offers": ["North", "South"], "over": text == "bye"}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")
