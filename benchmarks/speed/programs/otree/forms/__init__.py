from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page, models, widgets


class C(BaseConstants):
    NAME_IN_URL, PLAYERS_PER_GROUP, NUM_ROUNDS = "forms", None, 1


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


def item():
    return models.IntegerField(choices=[1, 2, 3, 4, 5], widget=widgets.RadioSelectHorizontal)


class Player(BasePlayer):
    q1 = item()
    q2 = item()
    q3 = item()
    q4 = item()
    q5 = item()
    q6 = item()
    q7 = item()
    q8 = item()
    q9 = item()
    q10 = item()
    u1 = item()
    u2 = item()


class Information(Page):
    pass


class First(Page):
    form_model = "player"
    form_fields = [f"q{n}" for n in range(1, 11)]


class Second(Page):
    form_model = "player"
    form_fields = ["u1", "u2"]


class Thanks(Page):
    pass


page_sequence = [Information, First, Second, Thanks]
