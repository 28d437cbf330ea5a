import * as z from 'zod';

const asked = z.object({ question: z.unknown() });

/** The other end of a Child: answers questions until there are no more. */
export function answerParent(answer: (question: unknown) => Promise<unknown>, end: () => void): void {
  process.on('message', (message) => {
    answer(asked.parse(message).question).then(
      (given) => process.send?.(given),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
  process.once('disconnect', end);
}
