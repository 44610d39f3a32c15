"""Python 2 reads a global statement after a use; the whole function is meant."""
x = 1  #: x#1:global


def outer():  #: outer#2:function
    x = 2  #: x#3:local

    def late():  #: late#4:function
        x = 3  #: x#1
        global x  #: x#1
        print x  #: x#1

    def missing():  #: missing#5:function
        global y  #: y:outside
        return y  #: y:outside

    y = x  #: y#6:local x#3
    return late, missing, y  #: late#4 missing#5 y#6
