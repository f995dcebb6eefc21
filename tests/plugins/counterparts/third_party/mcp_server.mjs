// A tool written with the MCP SDK for TypeScript: node mcp_server.mjs PORT
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const first = new Map();
function make() {
  const server = new McpServer({ name: "remembers", version: "1.0.0" });
  const inputSchema = { session: z.string(), text: z.string() };
  server.registerTool("chat", { description: "Talk", inputSchema }, async ({ session, text }) => {
    if (!first.has(session)) first.set(session, text);
    return { content: [{ type: "text", text: `first was ${first.get(session)}` }] };
  });
  return server;
}
createServer(async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await make().connect(transport);
  await transport.handleRequest(request, response);
}).listen(Number(process.argv[2]), "127.0.0.1");
