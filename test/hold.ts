/** A place in a fake where work waits until the test lets it go on. */
export interface Hold {
  /** For the fake: resolves when the test has let go. */
  wait(): Promise<void>;
  /** Resolves when work waits here. */
  readonly underWay: Promise<void>;
  letGo(): void;
}

export function hold(): Hold {
  let begin = () => {};
  let letGo = () => {};
  const underWay = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return {
    underWay,
    letGo,
    wait() {
      begin();
      return gate;
    },
  };
}
