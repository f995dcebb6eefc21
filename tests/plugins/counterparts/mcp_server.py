"""A server written with the MCP SDK: `python mcp_server.py PORT`, or without a port over standard input.

Knows nothing of ours. The tool `chat` tells the first thing said in a session; `session_chat` keeps that by
itself, `menu` answers with structured content, `agent` tells what it did.
"""

import sys
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, EmbeddedResource, TextContent, TextResourceContents

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


@server.tool()
def agent(text: str) -> CallToolResult:
    """Answer, and tell what was done for it."""
    document = TextResourceContents(uri="memory://doors", text="Doors open at 9.", mime_type="text/plain")
    done = {
        "tool_calls": [{"name": "find", "arguments": {"what": text}, "error": "closed"}],
        "usage": {"input_tokens": 20, "output_tokens": 9},
    }
    content = [TextContent(text=f"You said {text}."), EmbeddedResource(resource=document)]
    return CallToolResult(content=content, structured_content=done)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")
