// What axe-core says about the accessibility of a page that is open in a browser.

import { readFileSync } from "node:fs";

// Throws where the page has a serious violation. `axe` is the file axe.min.js of the npm package axe-core, and without it nothing is checked.
export async function accessible(evaluate, axe, where) {
  if (!axe) return;
  // The program goes around the policy of the page, which would refuse it as a script.
  if (!(await evaluate("typeof axe === 'object'"))) await evaluate(`${readFileSync(axe, "utf8")}; undefined`);
  // With `preload` it would read style sheets a second time, and complain where they come from the disk.
  const found = await evaluate(`axe.run(document, { preload: false, resultTypes: ["violations"] }).then(({ violations }) =>
    violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, help, nodes }) =>
      ({ id, help, nodes: nodes.length, first: nodes[0].html.slice(0, 200), why: nodes[0].failureSummary.slice(0, 300) })))`);
  if (found.length > 0) throw new Error(`axe-core, ${where}: ${JSON.stringify(found, null, 1)}`);
}
