// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension VisitorPhrases {
  /// The languages of the pages and screens.
  package static let all = [english, german, french, spanish, italian]

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
    emptyRoom: Message(title: "Nothing on show here", text: "Take your time."),
    simulated: "This visit is simulated.",
    replayed: "This is the recording of a visit.",
    others: "Other exhibits",
    number: "Number of an exhibit",
    open: "Open",
    noSuchNumber: "No exhibit has this number.",
    opened: "You opened this exhibit.",
    follow: "Back to the guide"
  )

  static let german = VisitorPhrases(
    language: "de",
    name: "Deutsch",
    place: "Wo Sie sind",
    exhibit: "Vor Ihnen",
    confidence: "Wie sicher der Guide ist",
    grades: ["geraten", "wahrscheinlich", "ziemlich sicher", "fast sicher"],
    languages: "Sprache",
    waiting: "Einen Moment …",
    lost:
      "Die Verbindung zum Guide ist unterbrochen. Was Sie sehen, kann alt sein; die Seite versucht es von selbst wieder.",
    over: "Der Besuch ist zu Ende. Sie sehen den letzten Stand.",
    noScript: "Diese Seite braucht Skripte, um zu zeigen, wo Sie sind.",
    asking: Message(
      title: "Der Guide bittet um Ihre Erlaubnis",
      text: "Er darf erst wissen, wo Sie sind, wenn Sie seine Frage beantwortet haben."
    ),
    denied: Message(
      title: "Der Guide darf nicht wissen, wo Sie sind",
      text:
        "Darum zeigt er nichts. Erlauben Sie ihm in den Einstellungen den Standort, dann geht es von selbst weiter."
    ),
    reduced: Message(
      title: "Ihr Standort ist ungefähr",
      text:
        "Darum zeigt der Guide nichts. Erlauben Sie ihm den genauen Standort, dann geht es von selbst weiter."
    ),
    looking: Message(title: "Der Guide sucht das Museum", text: "Das dauert ein paar Sekunden."),
    outside: Message(
      title: "Der Guide macht Pause",
      text:
        "Hier wird kein Beacon des Museums empfangen. Wenn Sie näher kommen, geht es von selbst weiter."
    ),
    nothingNear: Message(title: "Kommen Sie näher", text: "Gehen Sie zu dem, was Ihnen gefällt."),
    emptyRoom: Message(title: "Hier ist nichts ausgestellt", text: "Lassen Sie sich Zeit."),
    simulated: "Dieser Besuch ist simuliert.",
    replayed: "Das ist die Aufzeichnung eines Besuchs.",
    others: "Andere Exponate",
    number: "Nummer eines Exponats",
    open: "Öffnen",
    noSuchNumber: "Kein Exponat hat diese Nummer.",
    opened: "Sie haben dieses Exponat geöffnet.",
    follow: "Zurück zum Guide"
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
    over: "La visite est terminée. Vous en voyez le dernier état.",
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
      title: "Le guide est en pause",
      text:
        "Aucune balise du musée n’est reçue ici. Il reprendra de lui-même quand vous approcherez."
    ),
    nothingNear: Message(title: "Approchez-vous", text: "Allez vers ce qui vous plaît."),
    emptyRoom: Message(title: "Rien n’est exposé ici", text: "Prenez votre temps."),
    simulated: "Cette visite est simulée.",
    replayed: "Ceci est l’enregistrement d’une visite.",
    others: "Autres objets exposés",
    number: "Numéro d’un objet exposé",
    open: "Ouvrir",
    noSuchNumber: "Aucun objet exposé n’a ce numéro.",
    opened: "Vous avez ouvert cet objet exposé.",
    follow: "Retour au guide"
  )

  static let spanish = VisitorPhrases(
    language: "es",
    name: "Español",
    place: "Dónde está usted",
    exhibit: "Ante usted",
    confidence: "Seguridad de la guía",
    grades: ["una suposición", "probable", "bastante segura", "casi cierta"],
    languages: "Idioma",
    waiting: "Un momento …",
    lost:
      "Se ha perdido la conexión con la guía. Lo que ve puede ser antiguo; la página lo intenta de nuevo por sí sola.",
    over: "La visita ha terminado. Ve su último estado.",
    noScript: "Esta página necesita scripts para mostrar dónde está usted.",
    asking: Message(
      title: "La guía pide su permiso",
      text: "No puede saber dónde está usted hasta que responda a su pregunta."
    ),
    denied: Message(
      title: "La guía no puede saber dónde está usted",
      text: "Por eso no muestra nada. Permita la ubicación en los ajustes y seguirá por sí sola."
    ),
    reduced: Message(
      title: "Su ubicación es aproximada",
      text: "Por eso la guía no muestra nada. Permita la ubicación exacta y seguirá por sí sola."
    ),
    looking: Message(title: "La guía busca el museo", text: "Esto dura unos segundos."),
    outside: Message(
      title: "La guía está en pausa",
      text: "Aquí no se recibe ninguna baliza del museo. Seguirá por sí sola cuando se acerque."
    ),
    nothingNear: Message(title: "Acérquese", text: "Vaya a lo que le guste."),
    emptyRoom: Message(title: "Aquí no hay nada expuesto", text: "Tómese su tiempo."),
    simulated: "Esta visita es simulada.",
    replayed: "Esta es la grabación de una visita.",
    others: "Otras piezas",
    number: "Número de una pieza",
    open: "Abrir",
    noSuchNumber: "Ninguna pieza tiene este número.",
    opened: "Usted ha abierto esta pieza.",
    follow: "Volver a la guía"
  )

  static let italian = VisitorPhrases(
    language: "it",
    name: "Italiano",
    place: "Dove si trova",
    exhibit: "Davanti a Lei",
    confidence: "Certezza della guida",
    grades: ["un’ipotesi", "probabile", "abbastanza sicura", "quasi certa"],
    languages: "Lingua",
    waiting: "Un momento …",
    lost:
      "Il collegamento con la guida è interrotto. Ciò che vede può essere vecchio; la pagina riprova da sola.",
    over: "La visita è finita. Ne vede l’ultimo stato.",
    noScript: "Questa pagina ha bisogno di script per mostrare dove si trova.",
    asking: Message(
      title: "La guida chiede il Suo permesso",
      text: "Non può sapere dove si trova finché non ha risposto alla domanda."
    ),
    denied: Message(
      title: "La guida non può sapere dove si trova",
      text:
        "Perciò non mostra nulla. Permetta la posizione nelle impostazioni, e riprenderà da sola."
    ),
    reduced: Message(
      title: "La Sua posizione è approssimativa",
      text:
        "Perciò la guida non mostra nulla. Permetta la posizione precisa, e riprenderà da sola."
    ),
    looking: Message(title: "La guida cerca il museo", text: "Ci vogliono pochi secondi."),
    outside: Message(
      title: "La guida è in pausa",
      text: "Qui non si riceve alcun beacon del museo. Riprenderà da sola quando si avvicina."
    ),
    nothingNear: Message(title: "Si avvicini", text: "Vada verso ciò che Le piace."),
    emptyRoom: Message(title: "Qui non è esposto nulla", text: "Faccia con calma."),
    simulated: "Questa visita è simulata.",
    replayed: "Questa è la registrazione di una visita.",
    others: "Altri oggetti esposti",
    number: "Numero di un oggetto esposto",
    open: "Apri",
    noSuchNumber: "Nessun oggetto esposto ha questo numero.",
    opened: "Ha aperto questo oggetto esposto.",
    follow: "Torna alla guida"
  )
}
