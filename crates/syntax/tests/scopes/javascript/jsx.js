import React from 'react'; //: React#1:import
const Layout = { Row: 1 }; //: Layout#2:global Row:member
function Menu({ items, title }) { //: Menu#3:function items#4:parameter title#5:parameter
  const Item = items.Item; //: Item#6:local items#4 Item:member
  return (
    <Layout.Row data-id={title} className="menu" onClick={() => items.open()}> //: Layout#2 Row:member data-id:outside title#5 className:outside onClick:outside items#4 open:member
      <h1 {...items}>{title}</h1> //: h1:outside items#4 title#5 h1:outside
      {items.map((item) => <Item key={item.id} value={item} />)} //: items#4 map:member item#7:parameter Item#6 key:outside item#7 id:member value:outside item#7
      <svg:path xlink:href={title} /> //: svg:outside path:outside xlink:outside href:outside title#5
      <my-element /> //: my-element:outside
      <></>
    </Layout.Row> //: Layout#2 Row:member
  );
}
<Menu items={[]} />; //: Menu#3 items:outside
