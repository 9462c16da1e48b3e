{{#PARAGRAPH}}<p dir="auto"><a href="{{TIME}}{{SECONDS}}">{{CLOCK}}</a>{{#CUE}} <span data-at="{{AT}}">{{WORDS}}</span>{{/CUE}}</p>
{{/PARAGRAPH}}