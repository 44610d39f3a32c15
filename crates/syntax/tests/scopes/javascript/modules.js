import fallback, { readFile, writeFile as write, default as other } from 'fs'; //: fallback#1:import readFile#2:import writeFile:outside write#3:import other#4:import
import * as path from 'path'; //: path#5:import
import settings from './settings.json' with { type: 'json' }; //: settings#6:import type:outside
import 'effects';

export { join as joined, local, local as renamed, local as default }; //: join#10 joined:outside local#7 local#7 renamed:outside local#7
export { resolve, sep as separator } from 'path'; //: resolve:outside sep:outside separator:outside
export * from 'other';
export * as everything from 'everything'; //: everything:outside
export const local = path.join(fallback.name, write, settings.depth); //: local#7:global path#5 join:outside fallback#1 name:outside write#3 settings#6 depth:outside
export let counter = 0, { nested } = settings; //: counter#8:global nested#9:global settings#6
export function join(...parts) { //: join#10:function parts#11:parameter
  counter += parts.length; //: counter#8 parts#11 length:member
  return parts.map((part) => other(part)).join(path.sep); //: parts#11 map:member part#12:parameter other#4 part#12 join:member path#5 sep:outside
}
export async function* lines(file) { //: lines#13:function file#14:parameter
  for await (const line of readFile(file)) yield line; //: line#15:local readFile#2 file#14 line#15
}
export class Reader { //: Reader#16:type
  static async load(url = import.meta.url) { //: load#17:function url#18:parameter url:outside
    const { parse } = await import('./parser.js'); //: parse#19:local
    return new Reader(parse(url), nested); //: Reader#16 parse#19 url#18 nested#9
  }
}
undeclared = 1; //: undeclared:outside
console.log(undeclared); //: console:outside log:outside undeclared:outside
