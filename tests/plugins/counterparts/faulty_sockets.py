"""A WebSocket server that answers in every wrong way there is: `python faulty_sockets.py PORT`.

The path names the fault. Knows nothing of ours.
"""

import asyncio
import sys

from websockets.asyncio.server import ServerConnection, serve


async def answer(socket: ServerConnection) -> None:
    fault = socket.request.path.partition("?")[0].strip("/")
    async for _ in socket:
        if fault == "silent":
            await asyncio.sleep(30)
        elif fault == "slow":
            for _ in range(40):
                await socket.send('{"piece": "x"}')
                await asyncio.sleep(0.05)
        elif fault == "garbage":
            await socket.send("\x00 this is no JSON")
        elif fault == "half":
            await socket.send('{"piece": "half"}')
            socket.transport.abort()
        elif fault == "huge":
            await socket.send('{"text": "' + "x" * 5_000_000 + '"}')
        elif fault == "notutf8":
            await socket.send(b'{"text": "caf\xe9"}', text=True)
        elif fault == "closed":
            await socket.close()


async def main(port: int) -> None:
    async with serve(answer, "127.0.0.1", port, open_timeout=None) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
