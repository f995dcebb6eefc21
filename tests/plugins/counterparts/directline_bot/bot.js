// A bot of the Bot Framework behind offline-directline: `node bot.js PORT [welcome]`. Knows nothing of ours.
//
// It tells the first thing said in a conversation, takes an order in a dialogue, and shows what bots can send.

const express = require('express');
const { getRouter } = require('offline-directline');
const {
  ActionTypes, ActivityTypes, CardFactory, CloudAdapter, ConfigurationBotFrameworkAuthentication, ConversationState,
  InputHints, MemoryStorage, MessageFactory,
} = require('botbuilder');
const { ChoicePrompt, DialogSet, DialogTurnStatus, WaterfallDialog } = require('botbuilder-dialogs');

const port = Number(process.argv[2]);
const welcomes = process.argv[3] === 'welcome';
const authentication = new ConfigurationBotFrameworkAuthentication({});
const adapter = new CloudAdapter(authentication);
const state = new ConversationState(new MemoryStorage());
const first = state.createProperty('first');
const size = state.createProperty('size');

const dialogs = new DialogSet(state.createProperty('dialogs'));
dialogs.add(new ChoicePrompt('size'));
dialogs.add(new WaterfallDialog('order', [
  (step) => step.prompt('size', { prompt: 'Which size?', choices: ['small', 'large'] }),
  async (step) => {
    await size.set(step.context, step.result.value);
    await step.context.sendActivity(`Your pizza is ${step.result.value}.`);
    return step.endDialog();
  },
]));

const answers = {
  'what did I order': async (context) => context.sendActivity(`Your pizza is ${await size.get(context)}.`),
  menu: (context) => {
    const press = { type: ActionTypes.PostBack, title: 'Take it', value: 'take it' };
    const see = { type: ActionTypes.OpenUrl, title: 'See', value: 'https://example.org' };
    const card = CardFactory.heroCard('Margherita', '5 euro', ['https://example.org/m.png'], [press, see]);
    const message = MessageFactory.attachment(card, 'Today:');
    message.suggestedActions = { to: [], actions: [{ type: ActionTypes.ImBack, title: 'Wine', value: 'wine' }] };
    return context.sendActivity(message);
  },
  picture: (context) => context.sendActivity(MessageFactory.contentUrl('https://example.org/m.png', 'image/png')),
  thinking: async (context) => {
    await context.sendActivity({ type: ActivityTypes.Typing });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await context.sendActivity('Thought of it.');
  },
  'a question and more': async (context) => {
    await context.sendActivity('Which one?', undefined, InputHints.ExpectingInput);
    await context.sendActivity('The choice is yours.');
  },
  bye: async (context) => {
    await context.sendActivity('Goodbye.');
    await context.sendActivity({ type: ActivityTypes.EndOfConversation });
  },
};

async function takeTurn(context) {
  if (context.activity.type === ActivityTypes.ConversationUpdate && welcomes) {
    await context.sendActivity('Welcome to the trattoria.');
  } else if (context.activity.type === ActivityTypes.Message) {
    await answer(context, context.activity.text);
  }
  await state.saveChanges(context);
}

async function answer(context, text) {
  const dialog = await dialogs.createContext(context);
  const { status } = await dialog.continueDialog();
  if (status !== DialogTurnStatus.empty) return;
  if (text === 'pizza please') {
    await dialog.beginDialog('order');
  } else if (answers[text]) {
    await answers[text](context);
  } else {
    const said = await first.get(context, text);
    await first.set(context, said);
    await context.sendActivity(`first was ${said}`);
  }
}

console.log = () => {};
const app = express();
app.post('/api/messages', express.json(), (request, response) => adapter.process(request, response, takeTurn));
app.use(getRouter(`http://127.0.0.1:${port}`, `http://127.0.0.1:${port}/api/messages`));
app.listen(port, '127.0.0.1');
