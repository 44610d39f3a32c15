public boolean contains(Node node, String key, int depth) {      //: contains#1:function Node:outside node#2:parameter String:outside key#3:parameter depth#4:parameter
    if (node == null || depth == 0) {                            //: node#2 depth#4
        return contains(node, key);                              //: contains:outside node#2 key#3
    }
    if (contains(node, key, depth - 1) || node.contains(node, key, depth)) { //: contains#1 node#2 key#3 depth#4 node#2 contains:member node#2 key#3 depth#4
        return key.contains("a") && node.key.equals(key);        //: key#3 contains:member node#2 key:outside equals:member key#3
    }
    return contains(node.next, key, 3);                          //: contains:unknown node#2 next:outside key#3
}
