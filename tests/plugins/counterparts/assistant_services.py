"""Services that exist only in a cloud, as their documentation shows them: `assistant_services.py PORT`.

Knows nothing of ours. Direct Line 3.0, Dialogflow ES and CX, the runtimes of Lex V2 and of Bedrock's agents;
each remembers the first thing said in a conversation, and refuses a request that is not as documented.
"""

import base64
import binascii
import json
import struct
import sys
from collections import Counter
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

first: dict[str, str] = {}
activities: dict[str, list[dict[str, Any]]] = {}
looks: Counter[str] = Counter()
ES = "/v2/projects/{p}/agent/sessions/{session}:detectIntent"
CX = "/v3/projects/{p}/locations/{l}/agents/{a}/sessions/{session}:detectIntent"
BEDROCK = "/agents/{agent}/agentAliases/{alias}/sessions/{session}/text"
LEX = "/bots/{bot}/botAliases/{alias}/botLocales/{locale}/sessions/{session}/text"


def authorised(request: Request) -> bool:
    return request.headers.get("authorization") == "Bearer hunter2secret"


async def open_line(request: Request) -> Response:
    if request.url.path == LINE + "/conversations" and not authorised(request):
        return JSONResponse({"error": {"code": "Unauthorized", "message": "no"}}, status_code=403)
    name = f"line{len(activities)}|o"
    activities[name] = []
    return JSONResponse({"conversationId": name, "token": "t", "expires_in": 1800}, status_code=201)


async def say_on_line(request: Request) -> Response:
    said = await request.json()
    name = request.path_params["name"]
    log = activities[name]
    log.append({**said, "id": f"{name}|{len(log):07d}"})
    if said["type"] == "message":
        answer(log, said["text"], first.setdefault(name, said["text"]))
    return JSONResponse({"id": log[0]["id"]})


def answer(log: list[dict[str, Any]], text: str, remembered: str) -> None:
    bot = {"from": {"id": "bot", "role": "bot"}}
    log.append({**bot, "type": "typing"})
    if text == "menu":
        actions = [{"type": "imBack", "title": "Yes", "value": "yes"}]
        card = {
            "contentType": "application/vnd.microsoft.card.hero",
            "content": {
                "title": "A card",
                "images": [{"url": "https://example.org/a.png"}],
                "buttons": [
                    {"type": "postBack", "title": "More", "value": "more"},
                    {"type": "openUrl", "title": "See", "value": "https://example.org"},
                    {"type": "messageBack", "title": "Call me", "text": "call", "value": {"by": "phone"}},
                ],
            },
        }
        more = {"suggestedActions": {"actions": actions}, "attachments": [card]}
        log.append({**bot, "type": "message", "text": "Well?", "inputHint": "acceptingInput", **more})
        return
    if text == "bye":
        log.append({**bot, "type": "endOfConversation"})
        return
    if text == "a question and more":
        log.append({**bot, "type": "message", "text": "Which one?", "inputHint": "expectingInput"})
        log.append({**bot, "type": "message", "text": "The choice is yours.", "inputHint": "acceptingInput"})
        return
    if text == "take your time":
        log.append({**bot, "type": "message", "text": "One moment.", "inputHint": "acceptingInput"})
        log.append({**bot, "type": "typing"})
        return
    message = {"type": "message", "text": f"first was {remembered}", "inputHint": "expectingInput"}
    log.append({**bot, **message})


async def hear_line(request: Request) -> Response:
    log = activities[request.path_params["name"]]
    after = int(request.query_params.get("watermark") or 0)
    looks[request.path_params["name"]] += 1
    if looks[request.path_params["name"]] == 20 and log[-1]["type"] == "typing":
        log.append({"from": {"id": "bot", "role": "bot"}, "type": "message", "text": "Here it is."})
    return JSONResponse({"activities": log[after:], "watermark": str(len(log))})


async def detect_es(request: Request) -> Response:
    query = (await request.json())["queryInput"]
    text = query["text"] if "text" in query else query["event"] | {"text": query["event"]["name"]}
    assert text["languageCode"] and len(request.path_params["session"]) <= 36 and len(text["text"]) <= 256
    said = first.setdefault(request.path_params["session"], text["text"])
    result = {
        "queryText": text["text"],
        "fulfillmentMessages": [{"text": {"text": [f"first was {said}"]}}],
        "intent": {"name": "projects/p/agent/intents/1", "displayName": "inform"},
        "parameters": {"food": "thai", "area": ""},
        "intentDetectionConfidence": 0.75,
    }
    if text["text"] == "menu":
        replies = {"title": "?", "quickReplies": ["Yes", "No"]}
        card = {"title": "A card", "imageUri": "https://example.org/a.png", "buttons": [{"text": "More"}]}
        chips = {"richContent": [[{"type": "chips", "options": [{"text": "Wine"}]}]]}
        result["fulfillmentMessages"] = [
            {"platform": "TELEGRAM", "text": {"text": ["Well, on Telegram?"]}},
            {"text": {"text": ["Well?"]}},
            {"quickReplies": replies},
            {"card": card},
            {"payload": chips},
        ]
    if text["text"] == "bye":
        result |= {"fulfillmentMessages": [], "fulfillmentText": "Goodbye."}
        result["diagnosticInfo"] = {"end_conversation": True}
    return JSONResponse({"responseId": "r", "queryResult": result})


async def detect_cx(request: Request) -> Response:
    query = (await request.json())["queryInput"]
    assert query["languageCode"] and len(request.path_params["session"]) <= 36
    text = query["text"]["text"] if "text" in query else query["event"]["event"]
    said = first.setdefault("cx" + request.path_params["session"], text)
    messages: list[dict[str, Any]] = [{"text": {"text": [f"first was {said}"]}}]
    messages += [{"endInteraction": {}}] if text == "bye" else []
    match = {"intent": {"displayName": "inform"}, "parameters": {"food": "thai"}, "confidence": 0.5}
    return JSONResponse({"queryResult": {"responseMessages": messages, "match": match}})


async def recognize(request: Request) -> Response:
    assert request.headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIA")
    text = (await request.json())["text"]
    said = first.setdefault(request.path_params["session"], text)
    message: dict[str, Any] = {"contentType": "PlainText", "content": f"first was {said}"}
    if text == "menu":
        card = {"title": "Well?", "subtitle": "Choose", "imageUrl": "https://example.org/a.png"}
        message = {"contentType": "ImageResponseCard"}
        message["imageResponseCard"] = {**card, "buttons": [{"text": "Yes", "value": "yes"}]}
    slot = {"value": {"originalValue": "Thai", "interpretedValue": "thai", "resolvedValues": []}}
    intent = {"name": "inform", "slots": {"food": slot, "area": None}, "state": "InProgress"}
    close = text == "bye"
    state = {
        "dialogAction": {"type": "Close" if close else "ElicitSlot"},
        "intent": {**intent, "state": "Fulfilled" if close else "InProgress"},
    }
    heard = [{"nluConfidence": {"score": 0.9}, "intent": intent}]
    return JSONResponse({"messages": [message], "sessionState": state, "interpretations": heard})


async def invoke(request: Request) -> Response:
    assert request.headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIA")
    asked = await request.json()
    text, session = asked["inputText"], request.path_params["session"]
    said = first.setdefault("agent" + session, text)
    traced = steps(text) if asked["enableTrace"] else []
    told = [("trace", {"agentId": "A", "sessionId": session, "trace": one}) for one in traced]
    words = f"first was {said}".encode()
    pieces = [words[: len(words) // 2], words[len(words) // 2 :]]
    told += [("chunk", {"bytes": base64.b64encode(piece).decode()}) for piece in pieces]
    if text == "hand it back":
        told = [("returnControl", {"invocationId": "i", "invocationInputs": []})]
    frames = [event(kind, content) for kind, content in told]
    if text == "too much":
        frames = [frames[0], event("throttlingException", {"message": "slow down"}, kind="exception")]
    head = {
        "x-amzn-bedrock-agent-content-type": "application/json",
        "x-amz-bedrock-agent-session-id": session,
    }
    return StreamingResponse(iter(frames), headers=head, media_type="application/vnd.amazon.eventstream")


def steps(text: str) -> list[dict[str, Any]]:
    """What an agent did, as the traces of InvokeAgent tell it."""

    def model(key: str, read: int, wrote: int) -> list[dict[str, Any]]:
        usage = {"inputTokens": read, "outputTokens": wrote}
        return [
            {
                "modelInvocationInput": {
                    "traceId": key,
                    "foundationModel": "anthropic.claude",
                    "type": "ORCHESTRATION",
                }
            },
            {"modelInvocationOutput": {"traceId": key, "metadata": {"usage": usage}}},
        ]

    done = model("t-0", 9, 4)
    if text == "look it up":
        found = [
            {
                "content": {"text": "Doors open at 9."},
                "location": {"type": "S3", "s3Location": {"uri": "s3://b/doors"}},
            },
            {
                "content": {"text": "Pools close."},
                "location": {"type": "WEB", "webLocation": {"url": "https://p.example"}},
            },
        ]
        lookup = {
            "traceId": "t-1",
            "invocationType": "KNOWLEDGE_BASE",
            "knowledgeBaseLookupInput": {"text": "opening", "knowledgeBaseId": "K"},
        }
        group = {
            "actionGroupName": "pool",
            "verb": "post",
            "apiPath": "/tickets",
            "parameters": [{"name": "day", "type": "string", "value": "Monday"}],
            "requestBody": {"content": {"application/json": [{"name": "people", "value": "2"}]}},
        }
        action = {"traceId": "t-2", "invocationType": "ACTION_GROUP", "actionGroupInvocationInput": group}
        failed = {"executionError": "ZeroDivisionError"}
        code = {"traceId": "t-3", "codeInterpreterInvocationInput": {"code": "1/0"}}
        done += [
            {"invocationInput": lookup},
            {"observation": {"traceId": "t-1", "knowledgeBaseLookupOutput": {"retrievedReferences": found}}},
            {"invocationInput": action},
            {"observation": {"traceId": "t-2", "actionGroupInvocationOutput": {"text": '{"left": 3}'}}},
            {"invocationInput": code},
            {"observation": {"traceId": "t-3", "codeInterpreterInvocationOutput": failed}},
            *model("t-4", 30, 6),
        ]
    return [{"orchestrationTrace": one} for one in done]


def event(name: str, content: dict[str, Any], kind: str = "event") -> bytes:
    """A message of Amazon's event stream encoding: lengths, headers, content, and two checksums."""
    headers = {f":{kind}-type": name, ":content-type": "application/json", ":message-type": kind}
    head = b"".join(
        struct.pack("!B", len(key)) + key.encode() + struct.pack("!BH", 7, len(value)) + value.encode()
        for key, value in headers.items()
    )
    payload = json.dumps(content).encode()
    prelude = struct.pack("!II", len(head) + len(payload) + 16, len(head))
    message = prelude + struct.pack("!I", binascii.crc32(prelude)) + head + payload
    return message + struct.pack("!I", binascii.crc32(message))


LINE = "/v3/directline"
SAYING = "/conversations/{name}/activities"
OWN_LINE = "/directline"  # of servers of one's own, such as offline-directline, which ask for no secret
app = Starlette(
    routes=[
        *(Route(at + "/conversations", open_line, methods=["POST"]) for at in (LINE, OWN_LINE)),
        *(Route(at + SAYING, say_on_line, methods=["POST"]) for at in (LINE, OWN_LINE)),
        *(Route(at + SAYING, hear_line, methods=["GET"]) for at in (LINE, OWN_LINE)),
        Route(ES, detect_es, methods=["POST"]),
        Route(CX, detect_cx, methods=["POST"]),
        Route(BEDROCK, invoke, methods=["POST"]),
        Route(LEX, recognize, methods=["POST"]),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
