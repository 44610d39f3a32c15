from __future__ import division, annotations  #: division#1:import annotations#2:import
import os  #: os#3:import
import os.path  #: os#3 path:outside
import xml.dom as dom  #: xml:outside dom:outside dom#4:import
import numpy as np, sys  #: numpy:outside np#5:import sys#6:import
from collections import OrderedDict, defaultdict as table  #: collections:outside OrderedDict#7:import defaultdict:outside table#8:import
from . import sibling  #: sibling#9:import
from .package.module import (one,  #: package:outside module:outside one#10:import
                             two as second)  #: two:outside second#11:import
from helpers import *  #: helpers:outside

path = os.path.join(sys.argv[0], one)  #: path#12:global os#3 path:outside join:member sys#6 argv:outside one#10
tree = dom.minidom.parse(path)  #: tree#13:global dom#4 minidom:outside parse:member path#12
print(np.zeros(3, dtype=int), OrderedDict(), table(list, size=2), sibling.name, second, star)  #: print:outside np#5 zeros:outside dtype:outside int:outside OrderedDict#7 table#8 list:outside size:outside sibling#9 name:member second#11 star:outside
try:
    import json  #: json#14:import
except ImportError as error:  #: ImportError:outside error#15:global
    json = None  #: json#14
    raise SystemExit(error) from error  #: SystemExit:outside error#15 error#15
except (ValueError, os.error):  #: ValueError:outside os#3 error:outside
    pass


def load():  #: load#16:function
    import os  #: os#17:import
    from json import loads  #: json:outside loads#18:import
    import concurrent.futures  #: concurrent#19:import futures:outside
    import sys  #: sys#20:import
    return os, loads, sys, concurrent.futures.Future, json.loads(path, encoding="x")  #: os#17 loads#18 sys#20 concurrent#19 futures:outside Future:member json#14 loads:member path#12 encoding:member


try:
    load()  #: load#16
except* TypeError as group:  #: TypeError:outside group#21:global
    print(group.exceptions)  #: print:outside group#21 exceptions:member
else:
    group = None  #: group#21
finally:
    del group  #: group#21
