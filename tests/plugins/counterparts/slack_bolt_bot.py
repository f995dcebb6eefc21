"""A bot written with Slack Bolt: `python slack_bolt_bot.py PORT http|socket BASE_URL`."""

import re
import sys
import time

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk import WebClient

client = WebClient(token="xoxb-TEST", base_url=f"{sys.argv[3]}/api/")
app = App(client=client, signing_secret="hunter2secret")
first: dict[str, str] = {}


def button(title: str, value: str) -> dict:
    return {
        "type": "button",
        "action_id": f"go_{value}",
        "value": value,
        "text": {"type": "plain_text", "text": title},
    }


@app.message(re.compile("^where$"))
def where(say) -> None:
    say(
        text="Where to?",
        blocks=[
            {
                "type": "section",
                "text": {"type": "mrkdwn", "text": "*Where* to, <https://x.example|friend>?"},
            },
            {"type": "actions", "elements": [button("North", "n"), button("South", "s")]},
        ],
    )


@app.action(re.compile("^go_"))
def pressed(ack, body, respond, client) -> None:
    ack()
    chosen = body["actions"][0]["value"]
    if chosen == "n":
        respond(text=f"picked {chosen} of {body['message']['ts']}", replace_original=False)
    else:
        place = {"channel": body["channel"]["id"], "ts": body["message"]["ts"]}
        client.chat_update(**place, text=f"picked {chosen}", blocks=[])


@app.message(re.compile("^several$"))
def several(say) -> None:
    say("one moment &amp; a half")
    time.sleep(0.1)
    say("here it is")


@app.message(re.compile("^edit$"))
def edit(say, client) -> None:
    draft = say("thinking...")
    time.sleep(0.1)
    client.chat_update(channel=draft["channel"], ts=draft["ts"], text="thought")


@app.message(re.compile("^stream$"))
def stream(client, message) -> None:
    place = {"channel": message["channel"], "thread_ts": message["ts"]}
    ts = client.chat_startStream(**place, markdown_text="piece ")["ts"]
    time.sleep(0.7)
    client.chat_appendStream(channel=message["channel"], ts=ts, markdown_text="by **piece**")
    client.chat_stopStream(channel=message["channel"], ts=ts)


@app.message(re.compile("^late$"))
def late(say, client, message) -> None:
    client.assistant_threads_setStatus(
        channel_id=message["channel"], thread_ts=message["ts"], status="is thinking"
    )
    time.sleep(1.5)
    say("here at last")


@app.message(re.compile("^silent$"))
def silent(client) -> None:
    client.users_info(user="U1")


@app.message(re.compile("^slow$"))
def slow(say) -> None:
    for number in range(40):
        say(str(number))
        time.sleep(0.05)


@app.message(re.compile("^whoami$"))
def whoami(say, client, message) -> None:
    user = client.users_info(user=message["user"])["user"]
    say(f"{user['name']} of {client.team_info()['team']['name']}, talking to {client.auth_test()['user']}")


@app.command("/weather")
def weather(ack, command, respond) -> None:
    ack(f"looking for {command['text']}")
    respond("sunny")


@app.event("app_mention")
def mentioned(event, say) -> None:
    say(f"you said {event['text'].partition(' ')[2]}")


@app.message(re.compile(".*", re.S))
def answer(message, say) -> None:
    say(f"first was {first.setdefault(message['channel'], message['text'])}")


if sys.argv[2] == "socket":
    SocketModeHandler(app, "xapp-TEST").start()
else:
    app.start(port=int(sys.argv[1]), path="/slack/events")
