import Base from './base.js'; //: Base#1:import
export default class Widget extends Base { //: Widget#2:type Base#1
  render() { return super.render(Widget, this.render); } //: render#3:function render:outside Widget#2 render#3
}
new Widget().render(); //: Widget#2 render#3
