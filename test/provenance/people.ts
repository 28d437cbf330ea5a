/** People whom the owner knows in several stories. The numbers count the messages that the owner has sent them. */
export const MAYA = 'Maya Okafor <maya@atlas.example>';
export const JONAS = 'Jonas Weiß <jonas@atlas.example>';
export const PRIYA = 'Priya Raman <priya@northwind.example>';
export const PETRA = 'Petra Hallmann <petra@hallmann-buchhaltung.example>';

export const COLLEAGUES = { 'maya@atlas.example': 14, 'jonas@atlas.example': 9 } as const;
export const BOOKKEEPER = { 'petra@hallmann-buchhaltung.example': 22 } as const;
