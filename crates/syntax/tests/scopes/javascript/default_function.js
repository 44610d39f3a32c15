export default function main(options) { //: main#1:function options#2:parameter
  return main(options); //: main#1 options#2
}
main({ verbose: true }); //: main#1 verbose:member
