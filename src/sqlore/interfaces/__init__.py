"""How people and programs reach sqlore. Thin: everything they do is done by the rooms below."""
