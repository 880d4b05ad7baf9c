/** What panels that draw by themselves share. */

export type Palette = {
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly raised: string;
  readonly panel: string;
  readonly buy: string;
  readonly sell: string;
  readonly accent: string;
  readonly warning: string;
};

let kept: { readonly looks: string; readonly palette: Palette } | undefined;

/** The colours of the theme as they are now. Read once a theme: asking for a style settles all styles first. */
export function palette(): Palette {
  const { sides = '', theme = '' } = document.documentElement.dataset;
  const looks = `${theme} ${sides}`;
  if (kept?.looks === looks) return kept.palette;
  const colours = readPalette();
  // Before the style sheet is there nothing is worth keeping.
  if (colours.text !== '') kept = { looks, palette: colours };
  return colours;
}

function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    text: of('text'),
    muted: of('muted'),
    line: of('line'),
    raised: of('raised'),
    panel: of('panel'),
    buy: of('buy'),
    sell: of('sell'),
    accent: of('accent'),
    warning: of('warning'),
  };
}

export const FONT = "'Inter Variable', system-ui, sans-serif";

/** Fits a canvas to its place and to the pixels of the screen; its unit stays the CSS pixel. */
export function fitted(canvas: HTMLCanvasElement):
  | {
      readonly context: CanvasRenderingContext2D;
      readonly width: number;
      readonly height: number;
    }
  | undefined {
  const context = canvas.getContext('2d');
  const { clientHeight: height, clientWidth: width } = canvas;
  if (context === null || width === 0 || height === 0) return undefined;
  const ratio = devicePixelRatio;
  const [pixelsWide, pixelsHigh] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== pixelsWide || canvas.height !== pixelsHigh) {
    canvas.width = pixelsWide;
    canvas.height = pixelsHigh;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}
