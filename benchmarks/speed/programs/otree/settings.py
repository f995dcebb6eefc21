SESSION_CONFIGS = [{"name": "forms", "app_sequence": ["forms"], "num_demo_participants": 1}]
SESSION_CONFIG_DEFAULTS = {"real_world_currency_per_point": 1.0, "participation_fee": 0.0}
LANGUAGE_CODE = "en"
REAL_WORLD_CURRENCY_CODE = "EUR"
USE_POINTS = True
ADMIN_USERNAME, ADMIN_PASSWORD = "admin", "admin"
SECRET_KEY = "of this benchmark"
