"""A server of OpenAI's interface written with LitServe: `python litserve_api.py PORT`."""

import sys

import litserve as ls


class Remembers(ls.LitAPI):
    def setup(self, device):
        pass

    def predict(self, prompt):
        yield f"first was {next(one.content for one in prompt.messages if one.role == 'user')}"


if __name__ == "__main__":
    api = Remembers(spec=ls.OpenAISpec())
    ls.LitServer(api, accelerator="cpu").run(
        host="127.0.0.1", port=int(sys.argv[1]), generate_client_file=False
    )
