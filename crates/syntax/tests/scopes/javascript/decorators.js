@decorate(options) //: decorate:outside options:outside
export class Service { //: Service#1:type
  @observed value = initial; //: observed:outside value#2:field initial:outside
  @logged.at(level) run(task) { return this.value + task + level; } //: logged:outside at:member level:outside run#3:function task#4:parameter value#2 task#4 level:outside
}
const made = new Service(initial); //: made#5:global Service#1 initial:outside
made.run(made.value, made.absent); //: made#5 run#3 made#5 value#2 made#5 absent:member
