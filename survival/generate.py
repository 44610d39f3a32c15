def program(language, seed, name): raise NotImplementedError
