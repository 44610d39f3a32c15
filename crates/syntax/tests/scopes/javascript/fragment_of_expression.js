function (event, next = event.next) { //: event#1:parameter next#2:parameter event#1 next:member
  handle(event); //: handle:outside event#1
  return next(function again() { return again(event); }); //: next#2 again#3:function again#3 event#1
}
