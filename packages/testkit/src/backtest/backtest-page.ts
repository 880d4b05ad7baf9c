import type { BacktestReport, CurvePoint } from './backtest-report.ts';

const WIDTH = 960;
const HEIGHT = 240;
/** The maximum number of rows in each table of the page. The report contains all rows. */
const ROWS_MAX = 500;

/**
 * Renders the report as one static page, which loads no resources, runs no scripts, and escapes all
 * text.
 */
export function backtestPage(report: BacktestReport): string {
  const { curve, fills, fundings, liquidations, settlement } = report;
  const title = `${report.market}, ${day(report.fromMs)} to ${day(report.toMs)}`;
  const figures = figuresOf(report);
  const body = [
    `<h1>${escaped(title)}</h1>`,
    `<dl>${figures.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join('')}</dl>`,
    chart('Account value, USDC', curve, ({ usdc }) => usdc),
    chart(`Price of ${report.market}`, curve, ({ price }) => price),
    chart(
      settlement === undefined ? 'Position, coins' : 'Position, shares of YES',
      curve,
      ({ position }) => position,
    ),
    table(
      'Liquidations',
      ['Time', 'Step', 'Size', 'Notional', 'Account value', 'Mark'],
      liquidations.map((row) => [
        moment(row.timeMs),
        row.step,
        row.size,
        row.notional,
        row.accountValue,
        row.mark,
      ]),
    ),
    table(
      'Fills',
      ['Time', 'Side', 'Price', 'Size', 'Role', 'Fee', 'Realised'],
      fills.map((row) => [
        moment(row.time),
        row.side === 'B' ? 'buy' : 'sell',
        row.px,
        row.sz,
        row.tradeSide ?? row.dir,
        row.fee,
        row.closedPnl,
      ]),
    ),
    table(
      'Funding',
      ['Time', 'Hourly rate', 'Size', 'USDC'],
      fundings.map((row) => [moment(row.timeMs), row.rate, row.size, row.usdc]),
    ),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body.join('\n')}
</body>
</html>
`;
}

/** Returns the names and values for the summary at the top. */
function figuresOf(report: BacktestReport): readonly (readonly [string, string])[] {
  const { drawdown, settlement } = report;
  return [
    ['Result', `${report.pnl} USDC`],
    ['Starting value', `${report.startUsdc} USDC`],
    ['Final value', `${report.endUsdc} USDC`],
    ['Fees paid', `${report.fees} USDC`],
    ['Funding collected', `${report.funding} USDC`],
    ['Maximum drawdown', `${drawdown.usdc} USDC (${(drawdown.share * 100).toFixed(2)} %)`],
    ['Drawdown period', `${moment(drawdown.fromMs)} to ${moment(drawdown.toMs)}`],
    ...(settlement === undefined
      ? []
      : [
          ['Payout per YES share', `${settlement.fraction} USDC`] as const,
          ['Final payout', `${settlement.usdc} USDC`] as const,
        ]),
    ['Fills', String(report.fills.length)],
    ['Liquidation steps', String(report.liquidations.length)],
    ['Rows in the recording', String(report.rows)],
    ['Seed', report.seed],
    ['Account', report.account],
    ['Last block', `${report.head.height}, ${report.head.hash}`],
  ];
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1.5rem; }
dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 2rem 0; }
svg { width: 100%; height: auto; border: 1px solid #8888; }
path { fill: none; stroke: #3a7; stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.ends { display: flex; justify-content: space-between; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #8886; padding: 0.2rem 0.5rem; text-align: right; }
th:first-child, td:first-child { text-align: left; }
`;

function chart(
  title: string,
  curve: readonly CurvePoint[],
  valueOf: (point: CurvePoint) => string,
): string {
  const values = curve.map((point) => Number(valueOf(point)));
  const low = Math.min(...values);
  const high = Math.max(...values);
  const span = high - low || 1;
  const firstMs = curve[0]?.timeMs ?? 0;
  const lastMs = curve.at(-1)?.timeMs ?? 0;
  const points = curve.map(({ timeMs }, at) => {
    const x = ((timeMs - firstMs) / (lastMs - firstMs || 1)) * WIDTH;
    const y = HEIGHT - ((values[at]! - low) / span) * HEIGHT;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const words = `${title}: from ${low} to ${high}`;
  return `<figure><figcaption>${escaped(words)}</figcaption>
<svg viewBox="0 -4 ${WIDTH} ${HEIGHT + 8}" role="img" aria-label="${escaped(words)}"><path d="M${points.join('L')}"/></svg>
<div class="ends"><span>${moment(firstMs)}</span><span>${moment(lastMs)}</span></div></figure>`;
}

function table(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (rows.length === 0) return `<h2>${escaped(title)}</h2><p>None.</p>`;
  const shown = rows.slice(-ROWS_MAX);
  const left = rows.length - shown.length;
  const cells = (names: readonly string[], tag: string) =>
    `<tr>${names.map((each) => `<${tag}>${escaped(each)}</${tag}>`).join('')}</tr>`;
  const note =
    left === 0
      ? ''
      : `<p>The last ${shown.length} rows. The report object contains the ${left} rows before them.</p>`;
  return `<h2>${escaped(title)}</h2>${note}<table><thead>${cells(head, 'th')}</thead>
<tbody>${shown.map((row) => cells(row, 'td')).join('\n')}</tbody></table>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

function moment(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ');
}

function day(timeMs: number): string {
  return moment(timeMs).slice(0, 10);
}
