"""A tool written with FastMCP, which tells what it did: `python fastmcp_server.py PORT`."""

import sys

from fastmcp import FastMCP
from fastmcp.tools import ToolResult
from mcp.types import EmbeddedResource, TextContent, TextResourceContents

server = FastMCP("remembers")
first: dict[str, str] = {}


@server.tool
def chat(session: str, text: str) -> ToolResult:
    """Talk."""
    document = TextResourceContents(uri="memory://doors", text="Doors open at 9.", mime_type="text/plain")
    words = TextContent(type="text", text=f"first was {first.setdefault(session, text)}")
    done = {
        "tool_calls": [{"name": "recall", "arguments": {"session": session}, "result": first[session]}],
        "usage": {"input_tokens": 20, "output_tokens": 9},
    }
    return ToolResult([words, EmbeddedResource(type="resource", resource=document)], structured_content=done)


server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]))
