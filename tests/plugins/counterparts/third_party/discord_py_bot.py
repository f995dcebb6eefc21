"""A bot written with discord.py, which has two constants for the address: `python discord_py_bot.py OURS`."""

import asyncio
import sys

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

Route.BASE = f"{sys.argv[1]}/api/v10"
DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(f"{sys.argv[1].replace('http', 'ws', 1)}/gateway")
first: dict[int, str] = {}
client = discord.Client(intents=discord.Intents.all())


class Where(discord.ui.View):
    @discord.ui.button(label="North", custom_id="n")
    async def north(self, interaction, button):
        await interaction.response.send_message("picked north")

    @discord.ui.button(label="South", custom_id="s")
    async def south(self, interaction, button):
        await interaction.response.defer(thinking=True)
        await asyncio.sleep(1.0)
        await interaction.followup.send("picked south")

    @discord.ui.select(
        placeholder="Else", custom_id="e", options=[discord.SelectOption(label="Up", value="u")]
    )
    async def elsewhere(self, interaction, menu):
        await interaction.response.edit_message(content=f"went {menu.values[0]}", view=None)


@client.event
async def on_message(message):
    if message.author == client.user:
        return
    match message.content:
        case "where":
            await message.channel.send("Where to?", view=Where())
        case "card":
            card = discord.Embed(title="Soup", description="hot").add_field(name="Price", value="4")
            await message.reply(embed=card)
        case "edit":
            draft = await message.channel.send("thinking...")
            await draft.edit(content="thought")
        case "late":
            async with message.channel.typing():
                await asyncio.sleep(1.5)
                await message.channel.send("here at last")
        case said:
            await message.channel.send(f"first was {first.setdefault(message.channel.id, said)}")


client.run("TEST")
