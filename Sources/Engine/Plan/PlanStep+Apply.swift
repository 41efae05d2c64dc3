extension PlanStep {
    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        switch self {
        case .crop(let window): try CropStep.apply(window, to: image)
        case .resize(let step): try step.apply(to: image)
        case .colour: try ColourStep.apply(to: image)
        case .ownColour: try ColourStep.keep(image)
        case .turn(let orientation): try TurnStep.apply(orientation, to: image)
        case .canvas(let step): try step.apply(to: image)
        case .smartCrop(let step): try CropStep.apply(step.window(in: image), to: image)
        case .rotate(let step): try step.apply(to: image)
        case .filter(let operation): try operation.filter?.apply(to: image) ?? image
        }
    }
}
