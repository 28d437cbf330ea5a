/** The bundle of the file: see `browser/build.mjs`. */
declare module '*?script' {
  const text: string;
  export default text;
}
