// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension VisitorPhrases {
  /// The languages of the page.
  static let all = [english, german, french, spanish, italian]

  static let english = VisitorPhrases(
    language: "en",
    name: "English",
    place: "Where you are",
    exhibit: "In front of you",
    confidence: "How sure the guide is",
    grades: ["a guess", "likely", "quite sure", "almost certain"],
    languages: "Language",
    waiting: "One moment …",
    lost:
      "The connection to the guide is lost. What you see may be old; the page tries again by itself.",
    over: "The visit has ended. You see its last state.",
    noScript: "This page needs scripts to show where you are.",
    asking: Message(
      title: "The guide asks for your permission",
      text: "It may not know where you are until you have answered its question."
    ),
    denied: Message(
      title: "The guide may not know where you are",
      text: "So it shows nothing. Allow location in its settings, and it continues."
    ),
    reduced: Message(
      title: "Your location is approximate",
      text: "So the guide shows nothing. Allow precise location, and it continues."
    ),
    looking: Message(title: "The guide searches for the museum", text: "This takes a few seconds."),
    outside: Message(
      title: "The guide pauses",
      text: "No beacon of the museum is received here. The guide continues when you come near one."
    ),
    nothingNear: Message(title: "Come nearer", text: "Go up to whatever you like."),
    emptyRoom: Message(title: "Nothing on show here", text: "Take your time.")
  )

  static let german = VisitorPhrases(
    language: "de",
    name: "Deutsch",
    place: "Wo du bist",
    exhibit: "Vor dir",
    confidence: "Wie sicher der Führer ist",
    grades: ["geraten", "wahrscheinlich", "ziemlich sicher", "fast gewiss"],
    languages: "Sprache",
    waiting: "Einen Augenblick …",
    lost:
      "Die Verbindung zum Führer ist unterbrochen. Was du siehst, kann alt sein; die Seite versucht es von selbst wieder.",
    over: "Der Besuch ist zu Ende. Du siehst seinen letzten Augenblick.",
    noScript: "Diese Seite braucht Skripte, um zu zeigen, wo du bist.",
    asking: Message(
      title: "Der Führer bittet um deine Erlaubnis",
      text: "Wo du bist, darf er erst wissen, wenn du seine Frage beantwortet hast."
    ),
    denied: Message(
      title: "Der Führer darf nicht wissen, wo du bist",
      text:
        "Darum zeigt er nichts. Erlaube ihm in seinen Einstellungen den Standort, dann geht es von selbst weiter."
    ),
    reduced: Message(
      title: "Dein Standort ist ungefähr",
      text:
        "Darum zeigt der Führer nichts. Erlaube ihm den genauen Standort, dann geht es von selbst weiter."
    ),
    looking: Message(title: "Der Führer sucht das Museum", text: "Das dauert ein paar Sekunden."),
    outside: Message(
      title: "Der Führer ruht",
      text: "Hier ist kein Sender des Museums zu hören. Kommst du näher, geht es von selbst weiter."
    ),
    nothingNear: Message(title: "Komm näher", text: "Geh zu dem, was dir gefällt."),
    emptyRoom: Message(title: "Hier ist nichts ausgestellt", text: "Lass dir Zeit.")
  )

  static let french = VisitorPhrases(
    language: "fr",
    name: "Français",
    place: "Où vous êtes",
    exhibit: "Devant vous",
    confidence: "Certitude du guide",
    grades: ["une supposition", "probable", "assez sûr", "presque certain"],
    languages: "Langue",
    waiting: "Un instant …",
    lost:
      "La connexion au guide est perdue. Ce que vous voyez peut être ancien ; la page réessaie d’elle-même.",
    over: "La visite est terminée. Vous en voyez le dernier moment.",
    noScript: "Cette page a besoin de scripts pour montrer où vous êtes.",
    asking: Message(
      title: "Le guide demande votre permission",
      text: "Il ne peut savoir où vous êtes tant que vous n’avez pas répondu à sa question."
    ),
    denied: Message(
      title: "Le guide ne peut pas savoir où vous êtes",
      text:
        "Il ne montre donc rien. Autorisez la position dans ses réglages, et il reprendra de lui-même."
    ),
    reduced: Message(
      title: "Votre position est approximative",
      text:
        "Le guide ne montre donc rien. Autorisez la position exacte, et il reprendra de lui-même."
    ),
    looking: Message(title: "Le guide cherche le musée", text: "Cela prend quelques secondes."),
    outside: Message(
      title: "Le guide se repose",
      text:
        "Aucune balise du musée n’est captée ici. Il reprendra de lui-même quand vous approcherez."
    ),
    nothingNear: Message(title: "Approchez-vous", text: "Allez vers ce qui vous plaît."),
    emptyRoom: Message(title: "Rien n’est exposé ici", text: "Prenez votre temps.")
  )

  static let spanish = VisitorPhrases(
    language: "es",
    name: "Español",
    place: "Dónde está",
    exhibit: "Ante usted",
    confidence: "Seguridad de la guía",
    grades: ["una suposición", "probable", "bastante segura", "casi cierta"],
    languages: "Idioma",
    waiting: "Un momento …",
    lost:
      "Se ha perdido la conexión con la guía. Lo que ve puede ser antiguo; la página lo intenta de nuevo por sí sola.",
    over: "La visita ha terminado. Ve su último momento.",
    noScript: "Esta página necesita scripts para mostrar dónde está.",
    asking: Message(
      title: "La guía pide su permiso",
      text: "No puede saber dónde está hasta que responda a su pregunta."
    ),
    denied: Message(
      title: "La guía no puede saber dónde está",
      text: "Por eso no muestra nada. Permita la ubicación en sus ajustes y seguirá por sí sola."
    ),
    reduced: Message(
      title: "Su ubicación es aproximada",
      text: "Por eso la guía no muestra nada. Permita la ubicación exacta y seguirá por sí sola."
    ),
    looking: Message(title: "La guía busca el museo", text: "Tarda unos segundos."),
    outside: Message(
      title: "La guía descansa",
      text: "Aquí no se oye ninguna baliza del museo. Seguirá por sí sola cuando se acerque."
    ),
    nothingNear: Message(title: "Acérquese", text: "Vaya a lo que le guste."),
    emptyRoom: Message(title: "Aquí no hay nada expuesto", text: "Tómese su tiempo.")
  )

  static let italian = VisitorPhrases(
    language: "it",
    name: "Italiano",
    place: "Dove si trova",
    exhibit: "Davanti a lei",
    confidence: "Certezza della guida",
    grades: ["un’ipotesi", "probabile", "abbastanza sicura", "quasi certa"],
    languages: "Lingua",
    waiting: "Un momento …",
    lost:
      "Il collegamento con la guida è interrotto. Ciò che vede può essere vecchio; la pagina riprova da sola.",
    over: "La visita è finita. Ne vede l’ultimo momento.",
    noScript: "Questa pagina ha bisogno di script per mostrare dove si trova.",
    asking: Message(
      title: "La guida chiede il suo permesso",
      text: "Non può sapere dove si trova finché non ha risposto alla sua domanda."
    ),
    denied: Message(
      title: "La guida non può sapere dove si trova",
      text:
        "Perciò non mostra nulla. Le permetta la posizione nelle impostazioni, e riprenderà da sola."
    ),
    reduced: Message(
      title: "La sua posizione è approssimativa",
      text:
        "Perciò la guida non mostra nulla. Le permetta la posizione precisa, e riprenderà da sola."
    ),
    looking: Message(title: "La guida cerca il museo", text: "Ci vogliono pochi secondi."),
    outside: Message(
      title: "La guida riposa",
      text: "Qui non si sente alcun beacon del museo. Riprenderà da sola quando si avvicina."
    ),
    nothingNear: Message(title: "Si avvicini", text: "Vada verso ciò che le piace."),
    emptyRoom: Message(title: "Qui non è esposto nulla", text: "Faccia con calma.")
  )
}
