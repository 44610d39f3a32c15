"""global and nonlocal send bindings to other scopes."""
counter = 0  #: counter#1:global


def bump():  #: bump#2:function
    global counter, created  #: counter#1 created#3
    counter += 1  #: counter#1
    created = counter  #: created#3:global counter#1


def early():  #: early#4:function
    global later  #: later#5
    later = 1  #: later#5
    print(absent)  #: print:outside absent:outside


later = 2  #: later#5:global


def define():  #: define#6:function
    global helper, Thing, os  #: helper#8 Thing#9 os#7
    import os  #: os#7:import

    def helper():  #: helper#8:function
        return created  #: created#3

    class Thing:  #: Thing#9:type
        pass


def read_only():  #: read_only#10:function
    global nowhere  #: nowhere:outside
    return nowhere  #: nowhere:outside


def outer():  #: outer#11:function
    state = 0  #: state#12:local
    level = 1  #: level#13:local

    def middle():  #: middle#14:function
        nonlocal level  #: level#13

        def inner():  #: inner#15:function
            nonlocal state, level  #: state#12 level#13
            state += 1  #: state#12
            level = state  #: level#13 state#12
            for level in range(state):  #: level#13 range:outside state#12
                pass
            return level  #: level#13

        level = 2  #: level#13
        return inner  #: inner#15

    class Body:  #: Body#16:type
        nonlocal state  #: state#12
        state = 5  #: state#12
        level = state  #: level#17:field state#12

        def method(self):  #: method#18:function self#19:parameter
            return level, self.level  #: level#13 self#19 level#17

    return middle, Body, state  #: middle#14 Body#16 state#12


def hidden():  #: hidden#20:function
    counter = 1  #: counter#21:local

    def deeper():  #: deeper#22:function
        global counter  #: counter#1
        counter = 2  #: counter#1
        return [counter for _ in range(counter)]  #: counter#1 _#23:local range:outside counter#1

    return counter, deeper  #: counter#21 deeper#22


print(created, helper(), Thing(), os.name, later)  #: print:outside created#3 helper#8 Thing#9 os#7 name:outside later#5
